import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const BROWSER = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Null, and said: there is none. */
export async function startBrowser(): Promise<Browser | null> {
  if (!existsSync(BROWSER)) {
    console.log(`    left out: there is no ${BROWSER}; CHROMIUM names another`);
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: BROWSER,
    headless: true,
    args: FLAGS,
    viewport: { width: 1200, height: 900 },
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
