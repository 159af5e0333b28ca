ÿÿÿÿÿÿÿÿkind â˜ƒ µºØÀ©Ó:"principal â˜ƒ*	a-Z.0_9:x2	a-Z.0_9:x:
job_id â˜ƒ@ÿÿÿÿJoutcome â˜ƒR
reason â˜ƒZGsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08bpayload_digest â˜ƒjresult_digest â˜ƒrGsha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08zsubject â˜ƒ‚
detail â˜ƒŠ	a-Z.0_9:x’+{"_type":"https://in-toto.io/Statement/v1"}šleaf_hash â˜ƒ¢chain_hash â˜ƒ