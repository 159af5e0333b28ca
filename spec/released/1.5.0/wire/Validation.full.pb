
	a-Z.0_9:x4{"text":"Ã¼nÃ¯ â˜ƒ","number":1.5,"deep":[true,null]}À„=