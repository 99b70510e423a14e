/** Kysely's result of an insert, an update or a deletion. */
type Result = Partial<
  Record<'numInsertedOrUpdatedRows' | 'numUpdatedRows' | 'numDeletedRows', bigint | undefined>
>

/** Executes a statement. Returns whether it inserted, updated or deleted any row. */
export async function affectsRows(statement: {
  executeTakeFirstOrThrow(): Promise<Result>
}): Promise<boolean> {
  const result = await statement.executeTakeFirstOrThrow()
  return (result.numInsertedOrUpdatedRows ?? result.numUpdatedRows ?? result.numDeletedRows ?? 0n) > 0n
}
