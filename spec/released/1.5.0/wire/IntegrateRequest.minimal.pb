
a-Z_0-9Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08	paths â˜ƒ"ÿÿÿÿÿÿÿ2a-Z_0-9