
a-Z_0-9ä
	a-Z.0_9:xsummary â˜ƒ"4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}*K
application/vnd.in-toto+json+{"_type":"https://in-toto.io/Statement/v1"}2https://ci.example/log/18ÿÿÿÿB%
	a-Z.0_9:x
	a-Z.0_9:x€£	a-Z.0_9:x