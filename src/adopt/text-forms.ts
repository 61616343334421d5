/** Forms that all texts of a field may have. */
export type Form = 'email' | 'date' | 'instant' | 'objectId' | 'uuid' | 'hash' | 'slug';

export const FORMS: ReadonlyMap<Form, (text: string) => boolean> = new Map(
  Object.entries({
    email: /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/,
    date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    instant: /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/,
    objectId: /^[0-9a-f]{24}$/i,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    /** Of passwords: bcrypt, argon2, scrypt, PBKDF2, crypt. */
    hash: /^(\$2[abxy]?\$|\$argon2|\$scrypt|\$pbkdf2|\$[156]\$|\{SSHA\}|pbkdf2[:_$])/,
    slug: /^[a-z0-9]+([-_.~][a-z0-9]+)*$/,
  }).map(([form, pattern]) => [form as Form, (text: string) => pattern.test(text)]),
);
