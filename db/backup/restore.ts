import { chmod, chown, copyFile, link, rename, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { BackupError } from './backup.ts'
import { readChecksum } from './checksum.ts'
import { checkContents } from './contents.ts'
import { hashFile } from './hash-file.ts'
import { createPart, ifMissing, isSame, removeAbandonedParts, removePart, sync } from './part.ts'
import { type Alone, takeAlone } from './take-alone.ts'

export interface RestoreOptions {
  /** Also replace a damaged database, which cannot tell whether a process uses it. */
  replaceDamaged?: boolean
}

export interface Restored {
  /** Absolute paths; `kept` is the former database. */
  file: string
  kept: string | undefined
  /** Whether there was a checksum beside the backup. */
  checksum: boolean
  /** Migrations that the next start runs. */
  missingMigrations: string[]
}

/**
 * Replaces a database file by a backup, at once or not at all. Refuses a backup that is damaged or of a newer program,
 * and a database that a process has open. The former database stays beside it, complete in one file. Rejects with
 * {@link BackupError} or StartError. Nothing changes before the copy is renamed; if that or the sync after it fails, the
 * former database already has its second name.
 */
export async function restoreFile(
  backup: string,
  file: string,
  { replaceDamaged = false }: RestoreOptions = {}
): Promise<Restored> {
  const target = resolve(file)
  let part: string | undefined
  let old: Alone | undefined
  try {
    await checkBackup(backup, target)
    await removeAbandonedParts(dirname(target), name => name === basename(target))
    part = createPart(target)
    const checksum = await copyChecked(backup, part)
    const missingMigrations = await checkContents(part)
    old = await takeAlone(target, replaceDamaged)
    await giveTo(part, target)
    await sync(part)
    const kept = await replace(part, target, old)
    return { file: target, kept, checksum, missingMigrations }
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new BackupError(`cannot restore ${target}: ${message} (${code})`, { cause: error })
  } finally {
    old?.release()
    if (part !== undefined) await removePart(part)
  }
}

async function checkBackup(backup: string, target: string): Promise<void> {
  const [from, to] = [await stat(backup), await stat(target).catch(ifMissing)]
  if (!from.isFile()) throw new BackupError(`${backup} is not a file`)
  if (to && isSame(from, to)) throw new BackupError(`${backup} is the database itself`)
  for (const suffix of ['-wal', '-journal']) {
    const beside = await stat(backup + suffix).catch(ifMissing)
    if (beside && beside.size > 0)
      throw new BackupError(
        `${backup} is not complete without ${backup}${suffix}: copy databases with \`product-templates backup\``
      )
  }
}

/** Copies first, so that what is checked is what is used. Returns false if there is no checksum. */
async function copyChecked(backup: string, part: string): Promise<boolean> {
  await copyFile(backup, part)
  await chmod(part, 0o600)
  const expected = await readChecksum(backup)
  if (expected !== undefined && expected !== hashFile(part).sha256)
    throw new BackupError(`${backup} is damaged: its checksum is not that in ${backup}.sha256`)
  return expected !== undefined
}

/** Gives a file the mode and the owner of the database it replaces, or else the owner of the directory. */
async function giveTo(part: string, target: string): Promise<void> {
  const old = await stat(target).catch(ifMissing)
  const { uid, gid } = old ?? (await stat(dirname(target)))
  if (old) await chmod(part, old.mode & 0o777)
  // Others may not give files away; then the file stays theirs.
  if (process.getuid?.() === 0) await chown(part, uid, gid)
}

/** Renames the part, and returns the path of the former database. */
async function replace(part: string, target: string, old: Alone | undefined): Promise<string | undefined> {
  const kept = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  if (old) await keep(target, kept)
  // They belong to the former database. SQLite would apply them to any file.
  for (const suffix of ['-wal', '-shm', '-journal'])
    await rename(target + suffix, kept + suffix).catch(ifMissing)
  await rename(part, target)
  await sync(dirname(target))
  return old && kept
}

/** A second name, so that there is a database at each moment. Not every file system has them. */
async function keep(target: string, kept: string): Promise<void> {
  await link(target, kept).catch(async error => {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(error.code)) throw error
    await copyFile(target, kept)
    await sync(kept)
  })
}
