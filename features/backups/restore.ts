import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import {
  chmod,
  chown,
  copyFile,
  link,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { SqliteDialect } from '../../db/dialects/sqlite/dialect.ts'
import { isBusy, openReader } from '../../db/dialects/sqlite/handle.ts'
import { cannotUse } from '../../db/dialects/sqlite/open.ts'
import { findMissingMigrations } from '../../db/migrate.ts'
import { CommandError } from '../../terminal/command.ts'
import { migrations } from '../database.ts'
import { copyOnThread } from './backup.ts'
import { hashFile, ignoreMissing, isSame, runInStage, sync } from './files.ts'

/**
 * Replaces a database file by a backup, at once or not at all. Refuses a backup that is damaged or of a newer program,
 * and a database that a process has open. Whether a process has a damaged database open is unknown, so replacing it
 * needs `replaceDamaged`. The old database stays beside the new one, complete in one file. Rejects with
 * {@link CommandError}, StartError or the reason of the signal. Before the copy is renamed, nothing changes except that
 * the old database gets a second name.
 */
export async function restoreFile(
  backup: string,
  file: string,
  { replaceDamaged = false, signal }: { replaceDamaged?: boolean; signal?: AbortSignal } = {}
) {
  // A symbolic link stays: the database behind it is replaced.
  const target = (await realpath(file).catch(ignoreMissing)) ?? resolve(file)
  const restored = await runInStage(target, `cannot restore ${target}`, async stage => {
    const former = await stat(target).catch(ignoreMissing)
    await checkBackup(backup, former)
    const part = join(stage, 'copy.db')
    // The copy is checked, not the original, which somebody may replace meanwhile.
    await pipeline(createReadStream(backup, { highWaterMark: 2 ** 20 }), createWriteStream(part), {
      ...(signal && { signal })
    })
    const checksum = await compareChecksum(backup, part, signal)
    const missingMigrations = await checkContents(part, signal).catch(throwDamaged)
    await giveTo(part, target, former)
    await sync(part)
    signal?.throwIfAborted()
    const kept = await replace(part, target, former !== undefined, replaceDamaged)
    return { file: target, kept, checksum, missingMigrations }
  })
  if (!restored) throw new CommandError(`cannot restore ${target}: another process is restoring it`)
  return restored
}

async function checkBackup(backup: string, former: Stats | undefined): Promise<void> {
  const found = await stat(backup)
  if (!found.isFile()) throw new CommandError(`${backup} is not a file`)
  if (former && isSame(found, former)) throw new CommandError(`${backup} is the database itself`)
  for (const suffix of ['-wal', '-journal']) {
    const beside = await stat(backup + suffix).catch(ignoreMissing)
    if (beside && beside.size > 0)
      throw new CommandError(
        `${backup} is not complete without ${backup}${suffix}: copy databases with \`product-templates backup\``
      )
  }
}

/** Throws if the checksum is wrong. Returns whether there is one. */
async function compareChecksum(backup: string, part: string, signal?: AbortSignal): Promise<boolean> {
  const text = await readFile(`${backup}.sha256`, 'latin1').catch(ignoreMissing)
  if (text !== undefined && !text.toLowerCase().includes(await hashFile(part, signal)))
    throw new CommandError(`${backup} is damaged: its checksum differs from the one in ${backup}.sha256`)
  return text !== undefined
}

/**
 * Checks a whole copy of a backup. Returns its missing migrations, which the next start of the service runs. Throws if
 * the copy is damaged or not a store. Throws StartError if a newer program wrote it. Rejects if the signal aborts.
 */
async function checkContents(part: string, signal?: AbortSignal): Promise<string[]> {
  await copyOnThread({ part }, { ...(signal && { signal }) })
  const db = new Kysely<unknown>({ dialect: new SqliteDialect(openReader(part)) })
  try {
    const { executed, missing } = await findMissingMigrations(db, migrations)
    if (executed === 0) throw new CommandError('the backup is not a database of product-templates')
    return missing
  } finally {
    await db.destroy()
  }
}

function throwDamaged(error: unknown): never {
  if (!(error instanceof Sqlite.SqliteError)) throw error
  throw new CommandError(`the backup is damaged: ${error.message}`, 1, { cause: error })
}

/** Gives a file the mode and owner of the database that it replaces, or the owner of the directory. */
async function giveTo(part: string, target: string, former: Stats | undefined): Promise<void> {
  const { uid, gid } = former ?? (await stat(dirname(target)))
  await chmod(part, former ? former.mode & 0o777 : 0o600)
  // Only root may change the owner of a file.
  if (process.getuid?.() === 0) await chown(part, uid, gid)
}

/** Renames the part to `target`, which exists at each moment. Returns the path of the old database. */
async function replace(part: string, target: string, hasFormer: boolean, evenDamaged: boolean) {
  const kept = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  // An empty file can be locked, so a service that starts now waits for the restored database.
  if (!hasFormer) await writeFile(target, '', { flag: 'wx' })
  const lock = takeAlone(target, evenDamaged)
  try {
    // Not every file system has hard links.
    if (hasFormer) await link(target, kept).catch(() => copyFile(target, kept).then(() => sync(kept)))
    // They belong to the old database, and SQLite would apply them to the new one.
    for (const suffix of ['-wal', '-shm', '-journal'])
      await rename(target + suffix, kept + suffix).catch(ignoreMissing)
    await rename(part, target)
  } catch (error) {
    if (!hasFormer) await rm(target)
    throw error
  } finally {
    lock.close()
  }
  await sync(dirname(target))
  return hasFormer ? kept : undefined
}

/**
 * Opens a database file so that no other process can open it, and writes its WAL into it. The file is then complete.
 * Throws CommandError if another process has it open. Without `evenDamaged`, also throws it if the file is damaged.
 */
function takeAlone(path: string, evenDamaged: boolean): Sqlite.Database {
  const file = new Sqlite(path, { timeout: 0, fileMustExist: true })
  try {
    // In WAL mode, each open handle holds a lock. Only a handle that is alone can leave the mode.
    file.pragma('journal_mode = DELETE')
    // Without this, an empty file would get a journal.
    file.pragma('journal_mode = MEMORY')
    file.exec('begin exclusive')
    return file
  } catch (error) {
    const isDamaged = /^SQLITE_(NOTADB|CORRUPT|IOERR)/.test((error as { code?: string }).code ?? '')
    if (isDamaged && evenDamaged) return file
    file.close()
    if (isBusy(error))
      throw new CommandError(`another process uses the database ${path}: stop the service first`)
    if (!isDamaged) throw cannotUse(path, error)
    throw new CommandError(
      `the database ${path} is damaged, so it is unknown whether a service uses it: stop the service, and give --force`
    )
  }
}
