/** Signatures as Standard Webhooks defines them (https://www.standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret: 32 random bytes. */
export const newSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/** The bytes of a secret; null if it is not one, or shorter than 24 bytes. */
function keyOf(secret: string): Buffer | null {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  return key.length >= 24 &&
    key.length <= 64 &&
    key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
    ? key
    : null;
}

export const isSigningSecret = (secret: string): boolean => keyOf(secret) !== null;

interface Message {
  readonly id: string;
  /** When it is sent, in seconds. */
  readonly timestamp: number;
  readonly payload: string;
}

/** The headers of a message: its id, the time, and one signature for each secret. */
export function signed(
  { id, timestamp, payload }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.flatMap((secret) => {
    const key = keyOf(secret);
    if (!key) return [];
    return [`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`];
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}
