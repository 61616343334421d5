/** The documentation page in a real browser. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { until } from '../../packages/engine/test/support/until.js';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';
import { type Browser, startBrowser } from './browser.js';

const LIST = '#operations-category-listCategory';
const CREATE = '#operations-category-createCategory';

describe('the documentation page in a browser', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  let browser: Browser;
  const complaints: string[] = [];

  before(async function () {
    const started = await startBrowser();
    if (!started) this.skip();
    browser = started;
    this.timeout(300_000);
    server = await startConformanceServer('default', 0, { server: { docs: true } });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = async (): Promise<Page> => {
    const page = await browser.context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.url}/docs`);
    await statusSays(page, 'the public role');
    return page;
  };
  const statusSays = (page: Page, words: string) =>
    page.getByRole('status').filter({ hasText: words }).waitFor();
  /** Using only Tab, until an element that visibly has the focus. */
  const tabTo = async (page: Page, selector: string): Promise<void> => {
    const isThere = `document.activeElement?.matches(${JSON.stringify(selector)}) && document.activeElement.matches(':focus-visible')`;
    for (let pressed = 0; pressed < 500; pressed++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(isThere)) return;
    }
    throw new Error(`no Tab leads to ${selector}`);
  };
  const signIn = async (page: Page): Promise<void> => {
    await page.getByLabel('Token').fill(server.map.tokens['full'] ?? '');
    await page.getByRole('button', { name: 'Use' }).click();
    await statusSays(page, 'this token');
  };

  /** Of many operations the page only has those that are in view. */
  const filter = async (page: Page, words: string, count: number): Promise<void> => {
    await page.locator('.operation-filter-input').fill(words);
    await until(
      async () => (await page.locator('.opblock').count()) === count,
      () => words,
    );
  };

  it('shows what the public role may call, and with a token what its owner may call', async () => {
    const page = await open();
    await filter(page, 'category', 2);
    expect(await page.locator(CREATE).count()).to.equal(0);
    await signIn(page);
    await filter(page, 'category', 5);
    expect(await page.locator(CREATE).count()).to.equal(1);
    await page.close();
    expect(complaints).to.deep.equal([]);
  });

  it('sends an example request and shows its response', async () => {
    const page = await open();
    await signIn(page);
    await filter(page, 'category', 5);
    await page.locator(`${LIST} .opblock-summary-control`).click();
    // The example is a response of this server.
    await page.locator(`${LIST} .responses-wrapper`).filter({ hasText: 'Italian' }).waitFor();
    await page.locator(`${LIST} tr[data-param-name="filters"] input`).fill('{"name":{"$containsi":"ital"}}');
    await page.locator(`${LIST} tr[data-param-name="fields"] input`).fill('name');
    await page.locator(`${LIST} .execute`).click();
    const answer = page.locator(`${LIST} .live-responses-table`);
    await answer.waitFor();
    expect(await answer.locator('tbody .response-col_status').first().textContent()).to.match(/^200/);
    expect(await page.locator(`${LIST} .request-url`).textContent()).to.include(
      'filters%5Bname%5D%5B%24containsi%5D=ital&fields=name',
    );
    expect(await answer.textContent())
      .to.include('"Italian"')
      .and.not.include('"Zürich"');
    await page.close();
    expect(complaints).to.deep.equal([]);
  });

  it('finds operations by keyword', async () => {
    const page = await open();
    await signIn(page);
    // Five, three that publish, unpublish and discard drafts, and three about what is scheduled.
    await filter(page, 'ARTIC', 11);
    const ids = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.filter((id) => !id.startsWith('operations-article-'))).to.deep.equal([]);
    await page.close();
  });

  it('fits into 400 pixels, and follows the preference for a dark colour scheme', async () => {
    const page = await open();
    await page.setViewportSize({ width: 400, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await signIn(page);
    await filter(page, 'category', 5);
    await page.locator(`${LIST} .opblock-summary-control`).click();
    await page.locator(`${LIST} .execute`).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(400);
    const colour = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    const light = (colour.match(/\d+/g) ?? []).map(Number).reduce((sum, one) => sum + one, 0);
    expect(light).to.be.below(200);
    await page.close();
    expect(complaints).to.deep.equal([]);
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.type(server.map.tokens['full'] ?? '');
    await page.keyboard.press('Enter');
    await statusSays(page, 'this token');
    await tabTo(page, `${LIST} .opblock-summary-control`);
    await page.keyboard.press('Enter');
    await page.locator(`${LIST} .execute`).waitFor();
    // Swagger UI shows the button before it knows the operation that the button sends: its responses come with that.
    await page.locator(`${LIST} .responses-wrapper`).filter({ hasText: 'Italian' }).waitFor();
    await tabTo(page, `${LIST} .execute`);
    await page.keyboard.press('Enter');
    await page.locator(`${LIST} .live-responses-table`).waitFor();
    await page.close();
    expect(complaints).to.deep.equal([]);
  });

  it('loads nothing from other origins', async () => {
    const page = await browser.context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${server.url}/docs`);
    await statusSays(page, 'the public role');
    await page.close();
    expect(requests.filter((url) => !url.startsWith(server.url) && !url.startsWith('data:'))).to.deep.equal(
      [],
    );
  });
});
