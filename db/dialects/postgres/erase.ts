import { sql } from 'kysely'
import type { Db } from '../../schema.ts'

/**
 * Writes the table of the signing keys to a new file, so that it has no bytes of replaced keys. Returns false if the role
 * may not, which the server only warns of.
 */
export async function eraseRemains(db: Db): Promise<boolean> {
  const before = await findFile(db)
  await sql`vacuum (full) product_signing_key`.execute(db)
  return (await findFile(db)) !== before
}

async function findFile(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{
    file: string
  }>`select pg_relation_filenode('product_signing_key')::text as file`.execute(db)
  return rows[0]?.file
}
