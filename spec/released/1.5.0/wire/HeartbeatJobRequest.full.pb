
	a-Z.0_9:x€£d"status_message â˜ƒ(ÿÿÿÿ