
±
	a-Z.0_9:x4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}ÿÿÿÿ" µºØÀ©Ó:(À„=2unique_key â˜ƒ:Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
±
	a-Z.0_9:x4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}ÿÿÿÿ" µºØÀ©Ó:(À„=2unique_key â˜ƒ:Gsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08