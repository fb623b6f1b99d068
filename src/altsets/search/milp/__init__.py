"""What is linear as an integer programme, and the solver behind it."""
