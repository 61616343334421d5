import { eventTable } from './events.js';
import { fileTable, middlewareTable, variableTable } from './settings.js';

interface Table {
  readonly page: string;
  readonly name: string;
  readonly make: () => string;
}

const settings = (file: string): Table => ({
  page: 'docs/configuration.md',
  name: file,
  make: () => fileTable(file),
});

/** The tables that are made from the code. A page holds each between `<!-- table NAME -->` and `<!-- end -->`. */
export const TABLES: readonly Table[] = [
  { page: 'docs/events.md', name: 'events', make: eventTable },
  { page: 'docs/configuration.md', name: 'variables', make: variableTable },
  settings('api'),
  settings('server'),
  settings('database'),
  { page: 'docs/configuration.md', name: 'middlewares', make: middlewareTable },
  settings('plugins'),
  settings('admin'),
];

/** A page with a table put in its place. @throws Error where the page has no place for it */
export function withTable(page: string, name: string, table: string): string {
  const begin = `<!-- table ${name} -->\n`;
  const start = page.indexOf(begin);
  const end = page.indexOf('\n<!-- end -->', start);
  if (start < 0 || end < 0) throw new Error(`no place for the table ${name}`);
  return `${page.slice(0, start + begin.length)}\n${table}\n${page.slice(end)}`;
}
