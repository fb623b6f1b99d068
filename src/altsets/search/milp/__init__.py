"""Linear problems as integer programmes, and the solver behind them."""
