"""Studio: the web application in which motion matching is played, tuned, understood and built."""
