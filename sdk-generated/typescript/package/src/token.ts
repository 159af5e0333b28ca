/** A token, or a function that gives it, asked before each request, so that a changed token is used from then on. */
export type Token = string | (() => string | Promise<string>);

// RFC 6750, 2.1.
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
const RULE = 'a token must be characters of A-Z a-z 0-9 . _ ~ + / - with = at its end';
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The token that a client sends. Nothing that is thrown or printed here holds it. */
export class Bearer {
  readonly #token: Token | undefined;

  /** @throws TypeError when it is neither a token nor a function */
  constructor(token: Token | undefined) {
    if (token !== undefined && typeof token !== 'function' && !isToken(token)) {
      throw new TypeError(RULE);
    }
    this.#token = token;
  }

  /** @throws Error when there is no token to send now */
  async headers(): Promise<Record<string, string>> {
    if (this.#token === undefined) {
      return {};
    }
    const token = typeof this.#token === 'string' ? this.#token : await given(this.#token);
    return { Authorization: `Bearer ${token}` };
  }
}

async function given(source: () => string | Promise<string>): Promise<string> {
  let token: unknown;
  try {
    token = await source();
  } catch (failed) {
    // What it says may hold the token.
    throw new Error(`the source of the token failed: ${failed instanceof Error ? failed.name : typeof failed}`, { cause: failed });
  }
  if (!isToken(token)) {
    throw new Error(`the source of the token gave none: ${RULE}`);
  }
  return token;
}

function isToken(token: unknown): token is string {
  return typeof token === 'string' && TOKEN.test(token);
}

/** Whether what is sent there cannot be read on the way. */
export function isSafeAt(server: URL): boolean {
  return server.protocol === 'https:' || LOOPBACK.test(server.hostname);
}
