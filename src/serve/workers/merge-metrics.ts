import { memberOf } from '../../values/once-per.js';

interface Family {
  readonly head: readonly string[];
  readonly samples: string[];
}

const HEAD = /^# HELP (\S+)/;
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/;

/**
 * Merges the metrics of several workers, adding the label `worker` to each sample. Samples of a family are
 * kept together, as Prometheus requires.
 */
export function mergeMetrics(texts: ReadonlyMap<number, string>): string {
  const families = new Map<string, Family>();
  for (const [worker, text] of texts) {
    let family: Family | null = null;
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      const name = HEAD.exec(line)?.[1];
      if (name !== undefined) {
        family = memberOf(families, name, () => ({ head: lines.slice(at, at + 2), samples: [] }));
        continue;
      }
      const [, sample, labels = '', value] = SAMPLE.exec(line) ?? [];
      if (line.startsWith('#') || sample === undefined) continue;
      const all = [`worker="${worker}"`, ...(labels === '' ? [] : [labels])].join(',');
      family?.samples.push(`${sample}{${all}} ${value}`);
    }
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head, ...samples]);
  return [...lines, ''].join('\n');
}
