/** The UTC offsets, in hours, of the zones that can occur in dates in words, including military letters. */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  WET: 0,
  BST: 1,
  CET: 1,
  WEST: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
  AKDT: -8,
  AKST: -9,
  HST: -10,
  ...Object.fromEntries([...'ABCDEFGHI'].map((letter, i) => [letter, i + 1])),
  ...Object.fromEntries([...'KLM'].map((letter, i) => [letter, i + 10])),
  ...Object.fromEntries([...'NOPQRSTUVWXY'].map((letter, i) => [letter, -i - 1])),
  Z: 0,
};

const HOUR = 3_600_000;
const MINUTE = 60_000;
const OFFSET = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2}))?$/i;

/**
 * A zone as written in a date, such as `CEST`, `+0200` or `GMT+02`: its offset from UTC in milliseconds, undefined for another
 * string.
 */
export function zoneAhead(text: string): number | undefined {
  const offset = OFFSET.exec(text);
  if (offset !== null) {
    const [, sign, hours, minutes = '0'] = offset;
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
  }
  const hours = ZONES[text.toUpperCase()];
  return hours === undefined ? undefined : hours * HOUR;
}
