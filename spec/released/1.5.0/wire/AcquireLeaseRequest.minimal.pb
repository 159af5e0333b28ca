
a-Z_0-9	paths ☃a-Z_0-9