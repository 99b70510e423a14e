/** The columns of a template's fields, without its id. Later migrations may add others. `data` is the last one. */
export const fields = [
  'blockchain_id',
  'max_items',
  'name',
  'public_product',
  'component_name',
  'time_created',
  'time_modified',
  'data'
]
/** Lists columns for a statement. */
export const list = (prefix: string, columns: string[]): string =>
  columns.map(column => prefix + column).join(', ')
