
lease_id â˜ƒrepo â˜ƒ	paths â˜ƒ	paths â˜ƒ"
holder â˜ƒ(ÿÿÿÿÿÿÿÿ2 µºØÀ©Ó:: µºØÀ©Ó:@