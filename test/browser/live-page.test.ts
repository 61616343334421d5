/** The page of the demo that follows a list, in a real browser. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { has } from '../support/engines/lacks.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { type Browser, startBrowser } from './browser.js';

const CATEGORY = 'api::category.category';
const PAGE = new URL('../../scripts/demo/live.html', import.meta.url);

describe('the page of the demo that follows a list', function () {
  this.timeout(180_000);
  let server: TestServer;
  let browser: Browser | null = null;
  before(async function () {
    if (has('change streams in the order of commits')) browser = await startBrowser();
    if (!browser) this.skip();
    server = await startTestServer({ roles: { public: [`${CATEGORY}.find`] } });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  it('shows what appears, moves and disappears', async () => {
    const page = await browser?.context.newPage();
    if (!page) throw new Error('no browser');
    const documents = server.project.documents(CATEGORY);
    const made = async (name: string, position: number): Promise<string> =>
      String((await documents.create({ data: { name, position } }))['documentId']);
    const shows = (names: readonly string[]) =>
      page.waitForFunction(
        `[...document.querySelectorAll('li')].map((item) => item.textContent).join() === '${names.join()}'`,
      );
    const documentId = await made('Bread', 2);
    const list = `${server.url}/api/categories?sort=position&fields=name`;
    await page.goto(`file://${fileURLToPath(PAGE)}?list=${encodeURIComponent(list)}`);
    await shows(['Bread']);
    await made('<b>Fish</b>', 1);
    await shows(['<b>Fish</b>', 'Bread']);
    await documents.update({ documentId, data: { position: 0 } });
    await shows(['Bread', '<b>Fish</b>']);
    await documents.delete({ documentId });
    await shows(['<b>Fish</b>']);
    expect(await page.getByRole('status').textContent()).to.match(/^Live/);
    await page.close();
  });
});
