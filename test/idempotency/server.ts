/**
 * A server that kills itself while it creates: `server.ts <uri> <name> <folder of content types> <when>`. `when` is
 * `before` its commit, `after` it and before its answer, `committed` for the same of a transaction, or so many milliseconds
 * after it began. Prints its URL.
 */
import { startTestServer } from '../support/test-server.js';

const [databaseUri = '', name = '', schemaFolder = '', when = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const { project, url } = await startTestServer({}, { databaseUri, name, schemaFolder });
const { documents } = project;
documents.use(
  async (_, next) => {
    if (when === 'before') die();
    else if (/\d/.test(when)) setTimeout(die, Number(when));
    const result = await next();
    if (when === 'after') die();
    return result;
  },
  ['create'],
);
const { transaction } = documents;
documents.transaction = async (...given) => {
  const result = await transaction(...given);
  if (when === 'committed') die();
  return result;
};
process.stdout.write(`${url}\n`);
