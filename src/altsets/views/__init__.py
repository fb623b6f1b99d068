"""Plot-ready data: each function takes an answer and returns one small record, drawn by plots and by the report page.

Nothing is drawn here and nothing is random; a note says what is left out to keep a plot readable.
"""
