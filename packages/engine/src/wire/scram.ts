import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

/** The only user of an engine that listens on a port, and its password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The mechanism as drivers name it (RFC 7677). */
export const MECHANISM = 'SCRAM-SHA-256';

const ROUNDS = 15_000;
const KEY_BYTES = 32;
const NONCE_BYTES = 24;

/** A new password that needs no escaping in a connection string. */
export const newPassword = (): string => randomBytes(24).toString('base64url');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The attributes of a SCRAM message, `a=…,b=…`; values may contain `=`. */
const membersOf = (message: string): Map<string, string> =>
  new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));

/** What a server stores instead of the password. */
interface Verifier {
  readonly salt: Buffer;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

const verifiers = new WeakMap<Credentials, Verifier>();

function verifierOf(credentials: Credentials): Verifier {
  let verifier = verifiers.get(credentials);
  if (verifier === undefined) {
    const salt = randomBytes(16);
    const salted = pbkdf2Sync(credentials.password, salt, ROUNDS, KEY_BYTES, 'sha256');
    const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
    verifier = { salt, storedKey, serverKey: hmac(salted, 'Server Key') };
    verifiers.set(credentials, verifier);
  }
  return verifier;
}

/** The server's side of one SCRAM-SHA-256 conversation (RFC 5802). Its steps return undefined if the client fails. */
export class ScramConversation {
  private nonce = '';
  private first = '';

  constructor(private readonly credentials: Credentials) {}

  /** Answers the client's first message. */
  start(message: string): string | undefined {
    const header = /^n,(?:a=[^,]*)?,/.exec(message)?.[0];
    if (header === undefined) return undefined;
    const bare = message.slice(header.length);
    const members = membersOf(bare);
    const user = members.get('n')?.replaceAll('=2C', ',').replaceAll('=3D', '=');
    const clientNonce = members.get('r');
    if (user !== this.credentials.user || !clientNonce) return undefined;
    this.nonce = clientNonce + randomBytes(NONCE_BYTES).toString('base64');
    const { salt } = verifierOf(this.credentials);
    const answer = `r=${this.nonce},s=${salt.toString('base64')},i=${ROUNDS}`;
    this.first = `${bare},${answer}`;
    return answer;
  }

  /** Checks the client's proof and answers with the server's own. */
  finish(message: string): string | undefined {
    const members = membersOf(message);
    const proof = Buffer.from(members.get('p') ?? '', 'base64');
    if (this.nonce === '' || members.get('r') !== this.nonce || proof.length !== KEY_BYTES) return undefined;
    const { storedKey, serverKey } = verifierOf(this.credentials);
    const signed = `${this.first},${message.slice(0, message.lastIndexOf(',p='))}`;
    const signature = hmac(storedKey, signed);
    const clientKey = Buffer.from(proof.map((byte, i) => byte ^ (signature[i] ?? 0)));
    const isKnown = timingSafeEqual(createHash('sha256').update(clientKey).digest(), storedKey);
    return isKnown ? `v=${hmac(serverKey, signed).toString('base64')}` : undefined;
  }
}
