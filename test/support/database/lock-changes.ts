import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Test } from 'tap'
import { engine } from './database.ts'

/** Keeps others from releasing changes. Returns the function that lets them. */
export async function lockChanges(t: Test, databaseUrl: string): Promise<() => Promise<unknown>> {
  if (engine === 'sqlite') {
    const file = new Sqlite(databaseUrl.slice('sqlite:'.length))
    t.teardown(() => file.close())
    file.exec('begin immediate')
    return async () => file.exec('rollback')
  }
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  t.teardown(() => holder.end())
  await holder.query('begin; lock table product_revision in exclusive mode')
  return () => holder.query('rollback')
}
