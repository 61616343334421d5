/**
 * Every class of vulnerability found in servers of this kind, or in Mangrove itself, has a test in this folder with its
 * id in the title.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const IDS = `
  CVE-2026-27886 CVE-2024-56143 CVE-2023-22894 CVE-2023-34235 CVE-2022-30617 CVE-2022-30618 CVE-2023-34093 CVE-2023-36472
  CVE-2023-37263 CVE-2023-39345 CVE-2024-34065 CVE-2024-52588 CVE-2024-37818 CVE-2025-25298 CVE-2025-3930 CVE-2026-22706
  CVE-2025-53092 CVE-2025-64526 CVE-2023-38507 CVE-2026-57997 CVE-2023-22893 CVE-2026-22599 CVE-2026-22707 CVE-2022-27263
  CVE-2026-30941 CVE-2026-32248 strapi#4442 CVE-2026-33498 CVE-2026-32944 CVE-2026-57480 CVE-2022-24760 CVE-2023-30843
  CVE-2026-34751 CVE-2026-105851 CVE-2026-105855 CVE-2026-105863 CVE-2026-25544 CVE-2026-63316 CVE-2026-105845 CVE-2025-15284
`
  .trim()
  .split(/\s+/);

/** Mangrove's own vulnerabilities, all fixed. */
const OWN: readonly string[] = [
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '07',
  '08',
  '09',
  '10',
  '11',
  '12',
  '13',
  '14',
  '15',
  '16',
  '17',
  '18',
  '19',
  '20',
  '21',
].map((id) => `MANGROVE-${id}`);

describe('security: the register of vulnerabilities', () => {
  const folder = new URL('.', import.meta.url);
  const titles = readdirSync(folder)
    .filter((name) => name !== 'register.test.ts')
    .flatMap(
      (name) => readFileSync(new URL(name, folder), 'utf8').match(/\b(?:it|describe)\(\s*['"`][^\n]*/g) ?? [],
    )
    .join('\n');
  for (const id of [...IDS, ...OWN])
    it(`${id} has a test`, () => expect(new RegExp(`${id}\\b`).test(titles)).to.equal(true));
  it('the supply chain has a test', () => expect(titles).to.include('supply chain'));
});
