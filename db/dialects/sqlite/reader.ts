import { assertInode, SqliteHandle } from './handle.ts'
import { openReader } from './open.ts'

/** Opens another handle for reading a file that is known by its inode. Throws SQLITE_READONLY_DBMOVED for another file. */
export function openReaderOf(path: string, inode: number | undefined, cache?: number): SqliteHandle {
  // Checked before SQLite opens it: SQLite would apply the existing WAL to the new file.
  if (inode !== undefined) assertInode(path, inode)
  const file = openReader(path, cache)
  try {
    const opened = new SqliteHandle(file, inode)
    opened.assertInPlace()
    return opened
  } catch (error) {
    file.close()
    throw error
  }
}
