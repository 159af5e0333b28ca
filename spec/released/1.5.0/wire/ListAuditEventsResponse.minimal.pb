
Yÿÿÿÿÿÿÿÿ’+{"_type":"https://in-toto.io/Statement/v1"}šleaf_hash â˜ƒ¢chain_hash â˜ƒ