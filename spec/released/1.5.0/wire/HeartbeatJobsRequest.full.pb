
6
a-Z_0-9+
	a-Z.0_9:x€£d"status_message â˜ƒ(ÿÿÿÿ
6
a-Z_0-9+
	a-Z.0_9:x€£d"status_message â˜ƒ(ÿÿÿÿ