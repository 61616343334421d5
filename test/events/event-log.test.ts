import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createEventLog, type LogSettings } from '../../src/events/event-log.js';
import { type AppEvent, EVENTS, messageOf } from '../../src/events/events.js';

interface Line {
  readonly level: number;
  readonly event?: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const opened = (settings: Partial<LogSettings> = {}) => {
  const lines: Line[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Line);
      done();
    },
  });
  return {
    lines,
    ...createEventLog({ level: 'info', production: false, metrics: true, ...settings }, stream),
  };
};

const answered = (path: string, status: number, method = 'GET'): AppEvent => ({
  name: 'request-answered',
  id: 'r1',
  method,
  path,
  status,
  ms: 12.5,
  as: 'public',
});

const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50 } as const;

describe('events', () => {
  it('are logged as one line each, with name, fields and message', () => {
    const { lines, record } = opened();
    const event: AppEvent = { name: 'setting-unknown', file: 'config/api.js', key: 'rest.maxLimits' };
    record(event);
    const [{ time, pid, hostname, ...line } = {} as Line] = lines;
    expect(line).to.eql({
      level: LEVELS.warn,
      event: 'setting-unknown',
      file: 'config/api.js',
      key: 'rest.maxLimits',
      msg: messageOf(event),
    });
  });

  const judged: readonly (readonly [path: string, status: number, level: number | undefined])[] = [
    ['/api/a', 200, LEVELS.info],
    ['/api/a', 404, LEVELS.info],
    ['/api/a', 429, LEVELS.warn],
    ['/api/a', 500, LEVELS.error],
    ['/api/a', 503, LEVELS.error],
    ['/_health', 204, undefined],
    ['/_ready', 503, undefined],
  ];
  for (const [path, status, level] of judged)
    it(`${status} for ${path} is ${level === undefined ? 'not logged' : `logged at level ${level}`}`, () => {
      const { lines, record } = opened();
      record(answered(path, status));
      expect(lines[0]?.level).to.equal(level);
    });

  it('are counted but not logged below the log level', async () => {
    const { lines, record, configure, metrics } = opened({ level: 'error' });
    record({ name: 'images-not-resized' });
    expect(lines).to.eql([]);
    configure({ level: 'warn', production: false });
    record({ name: 'images-not-resized' });
    expect(lines).to.have.length(1);
    expect(await metrics()).to.include('mangrove_events_total{event="images-not-resized"} 2\n');
  });

  it('leave out confidential fields in production', () => {
    const email: AppEvent = { name: 'email-not-sent', to: 'a@b.test', subject: 'Reset', text: 'code=1' };
    for (const production of [true, false]) {
      const { lines, record } = opened({ production });
      record(email);
      expect(lines[0]).to.include({ to: 'a@b.test', subject: 'Reset' });
      expect(JSON.stringify(lines).includes('code=1')).to.equal(!production);
    }
  });

  it('feed the gauge and the histogram of requests', async () => {
    const { record, metrics } = opened({ level: 'silent' });
    for (let at = 0; at < 3; at += 1)
      record({ name: 'request-received', id: `r${at}`, method: 'GET', path: '/' });
    record(answered('/', 200));
    record(answered('/', 200, 'BREW'));
    const text = await metrics();
    expect(text).to.include('\nmangrove_requests_in_flight 1\n');
    for (const [bound, count] of [
      ['0.01', 0],
      ['0.025', 1],
      ['+Inf', 1],
    ])
      expect(text).to.include(
        `mangrove_request_duration_seconds_bucket{le="${bound}",method="GET",status="200"} ${count}\n`,
      );
    expect(text).to.include('mangrove_request_duration_seconds_sum{method="GET",status="200"} 0.0125\n');
    expect(text).to.include('mangrove_request_duration_seconds_count{method="other",status="200"} 1\n');
  });

  it('include none that the code never records', async () => {
    const { readdirSync, readFileSync } = await import('node:fs');
    const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('events/'))
      .map((file) => readFileSync(`src/${file}`, 'utf8'))
      .join('\n');
    for (const name of Object.keys(EVENTS)) expect(code).to.include(`name: '${name}'`);
  });
});
