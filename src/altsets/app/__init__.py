"""The explorer: a page on this machine that searches while its user moves controls.

``gate`` refuses every request that is not the page's own, ``messages`` says what the page may ask, ``server`` has the
routes and ``clients`` keeps track of pages. ``questions`` are answered by threads, for the server and for ``notebook``;
``engine`` answers one, and ``scoring`` computes what all of them need.
"""
