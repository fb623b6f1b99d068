customElements.get("altsets-page") || customElements.define("altsets-page", class extends HTMLElement {});
