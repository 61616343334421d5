import type { EmailConfig } from '../config/types.js';
import type { RecordEvent } from '../events/events.js';

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly from?: string;
  readonly cc?: string;
  readonly bcc?: string;
  readonly replyTo?: string;
}

export interface Mailer {
  /** False: emails go to the log. */
  readonly configured: boolean;
  send(email: Email): Promise<void>;
}

/** Optional, since only projects that send emails need it. */
const load = () =>
  import('nodemailer').catch(() => {
    throw new Error('email needs the package "nodemailer"; npm install nodemailer');
  });

/** Sends through the configured mail server; without one, each email is recorded as an event. */
export const createMailer = ({ providerOptions, settings }: EmailConfig, record: RecordEvent): Mailer => {
  if (providerOptions === null)
    return { configured: false, send: async (email) => record({ name: 'email-not-sent', ...email }) };
  const open = async () => {
    const { createTransport } = await load();
    return typeof providerOptions === 'string'
      ? createTransport(providerOptions)
      : createTransport({ ...providerOptions });
  };
  let opened: ReturnType<typeof open> | null = null;
  const { defaultFrom, defaultReplyTo } = settings;
  return {
    configured: true,
    send: async (email) => {
      opened ??= open();
      const transport = await opened;
      await transport.sendMail({ from: defaultFrom, replyTo: defaultReplyTo, ...email });
    },
  };
};
