

reason â˜ƒmessage â˜ƒ µºØÀ©Ó: