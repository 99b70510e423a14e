import { engineOf, engineOfUrl } from './dialects/engine.ts'
import type { DatabaseOptions } from './dialects/interface.ts'
import { migrate } from './migrate.ts'
import type { Db } from './schema.ts'

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the latest version. The caller closes it with
 * `db.destroy()`. Throws StartError if the database cannot be used.
 */
export const openDatabase = async (url: string, options: DatabaseOptions = {}): Promise<Db> =>
  engineOfUrl(url).open(url, options, migrate)

/** Removes bytes of replaced signing keys from the files; false if readers of former contents keep it from doing so. */
export const eraseRemains = (db: Db): Promise<boolean> => engineOf(db).eraseRemains(db)
