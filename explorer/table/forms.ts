import type { Kind } from '../edit/trait-kinds.ts'

/** The form of a column whose texts are stored in one form, however people write them. */
export interface ColumnForm {
  as: 'money' | 'decimal' | 'date' | 'link'
  /** The name of the trait, which may have a currency or a unit. */
  name: string
  /** Other texts that the trait has, such as `on request`. A cell takes them, too. */
  others: string[]
}

export type Reading = { value: unknown } | { problem: string }

/** What a feature adds to the table: `columnForms` of its `explorer/column-forms.ts`. */
export interface ColumnForms {
  /** Guesses the form of a trait from its most frequent values; undefined if it takes any text. */
  guessForm(name: string, texts: string[], isPrice: boolean): ColumnForm | undefined
  /** Returns the notation that the texts of a column show; undefined if they show none. */
  findShown(form: ColumnForm | undefined, cells: { text: string }[]): string | undefined
  /** Reads a text for a cell. `shown` decides what a text with two meanings is. */
  readForm(text: string, form: ColumnForm, kind: Kind, shown?: string): Reading
  /** Writes a stored text as `readForm` reads it. */
  writeForm(text: string, form: ColumnForm): string
  /** Reads the words for yes and no of several languages; undefined for any other text. */
  readYesOrNo(text: string): boolean | undefined
}
