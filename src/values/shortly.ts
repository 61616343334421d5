const LONGEST = 60;

/** A value as JSON for messages, cut after 60 characters. */
export const shortly = (value: unknown): string => {
  const written = JSON.stringify(value) ?? String(value);
  return written.length > LONGEST ? `${written.slice(0, LONGEST)}…` : written;
};
