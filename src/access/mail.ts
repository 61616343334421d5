import { createTransport } from 'nodemailer';
import type { EmailConfig } from '../config/types.js';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  send(letter: Letter): Promise<void>;
}

/** Sends through what the config names; without it, hands the letter to `show` (the console in development). */
export const createMailer = (email: EmailConfig, show: (letter: Letter) => void): Mailer => {
  const { providerOptions } = email;
  if (providerOptions === null) return { send: async (letter) => show(letter) };
  const transport =
    typeof providerOptions === 'string'
      ? createTransport(providerOptions)
      : createTransport({ ...providerOptions });
  const { defaultFrom, defaultReplyTo } = email.settings;
  return {
    send: async (letter) => {
      await transport.sendMail({ from: defaultFrom, replyTo: defaultReplyTo, ...letter });
    },
  };
};
