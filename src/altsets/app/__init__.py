"""The explorer: a page on this machine that searches while its user moves controls.

``gate`` refuses every request that is not the page's own, ``messages`` says what the page may ask, ``server`` has the
routes, ``clients`` keeps track of pages, ``workers`` are the processes that search, and ``engine`` runs in them.
"""
