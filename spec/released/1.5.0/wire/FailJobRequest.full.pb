
	a-Z.0_9:x
reason â˜ƒmessage â˜ƒ €ç„(0ÿÿÿÿ:%
	a-Z.0_9:x
	a-Z.0_9:x€£	a-Z.0_9:x