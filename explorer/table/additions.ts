import type { ColumnForms } from './forms.ts'

/** What a feature does with the texts of columns; without it, they stay as they are. Vite finds the file. */
export const [forms] = Object.values(
  import.meta.glob<ColumnForms>('../../features/*/explorer/column-forms.ts', {
    eager: true,
    import: 'columnForms'
  })
)
