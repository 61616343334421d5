import { errors } from '../../errors.js';
import { objectAt } from '../../values/plain-object.js';
import { checkBody } from '../body.js';
import type { AccessDeps } from '../deps.js';

/** Characters of a header, such as a list of addresses, and of the text. */
const MAX_HEADER = 100_000;
const MAX_TEXT = 10_000_000;

const header = { max: MAX_HEADER } as const;
const RULES = {
  to: { ...header, required: true },
  subject: { ...header, required: true },
  text: { max: MAX_TEXT, required: true },
  html: { max: MAX_TEXT },
  from: header,
  cc: header,
  bcc: header,
  replyTo: header,
} as const;

const notSent = (why: string) => errors.application('email-not-sent', `Couldn't send email: ${why}.`);

/** Sends an email that a caller has written through the configured mail server. Throws a 400. */
export const sendEmail = async ({ mailer }: AccessDeps, body: unknown): Promise<void> => {
  const { to, subject, text: words, ...others } = checkBody(body, RULES);
  if (!mailer.configured) throw notSent('no mail server is configured');
  const given = Object.keys(RULES).flatMap((name) => {
    const value = objectAt(others)[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  await mailer.send({ to, subject, text: words, ...Object.fromEntries(given) }).catch(() => {
    throw notSent('the mail server rejected it or did not respond');
  });
};
