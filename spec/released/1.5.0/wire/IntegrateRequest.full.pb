
a-Z_0-9Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08	paths â˜ƒ	paths â˜ƒ"ÿÿÿÿÿÿÿÿÿÿÿÿÿÿ*a-Z_0-92a-Z_0-9:E
	a-Z.0_9:x4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}À„=B	a-Z.0_9:x