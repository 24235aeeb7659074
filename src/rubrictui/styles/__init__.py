"""How the app looks: themes (``themes.py``) and style sheets (``*.tcss``)."""
