import type { Db } from 'mongodb';

/** The time by the clock of the database, which all processes share. */
export async function databaseTime(db: Db): Promise<Date> {
  const { localTime } = await db.command({ hello: 1 });
  return localTime as Date;
}
