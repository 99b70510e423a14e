import { editableFields } from '../../domain/columns.ts'

/** A GraphQL operation that a model may run. Its variables are the arguments of the tool. */
interface Tool {
  description: string
  /** Named like the tool, so that metrics have its name. Tools that are mutations write. */
  operation: string
}

/** The values of a template, except its document. */
const values = [...new Set(['name', 'componentName', ...editableFields])].filter(field => field !== 'data')
const contents = `${values.join(' ')} timeModified`
const fields = `id ${contents} revision`
const problem = '{ code message path pointer currentRevision }'
/** The fields of every write, and of a dry run. */
const payload = `product { ${fields} hash } userErrors ${problem}`
/** Only in a dry run: the result of a write must stay small enough to be sent. */
const difference = 'diff @include(if: $dryRun) { text }'

const dryRun =
  'By default, this is a dry run: it returns the problems and the difference, and writes nothing. To write, call the tool again with dryRun: false.'
const expected = 'expectedRevision is the current revision, which get_template returns.'

/** The tools. By default, lists are short, because users pay for each token that a model reads. */
export const tools = {
  search_templates: {
    description:
      'Find product templates by words, fields and traits, page by page: continue with after = endCursor. get_template returns the contents.',
    operation: `query search_templates(
      $where: ProductTemplateFilter, $orderBy: ProductTemplateOrder, $first: Int! = 20, $after: String
    ) {
      products(where: $where, orderBy: $orderBy, first: $first, after: $after) {
        nodes { ${fields} } totalCountUpTo(limit: 1000) pageInfo { hasNextPage endCursor }
      }
    }`
  },
  get_template: {
    description: 'Read a product template. data is its document as JSON text.',
    operation: `query get_template($id: Int!) { product(id: $id) { ${fields} timeCreated hash data } }`
  },
  list_traits: {
    description: 'List the traits of the templates that match, each with its most frequent values.',
    operation: `query list_traits($where: ProductTemplateFilter, $types: [String!], $first: Int! = 10) {
      traits(where: $where, types: $types, first: $first) {
        type values { text count } numbers { from to count }
      }
    }`
  },
  get_history: {
    description:
      'List the revisions of a template, even of a deleted one, newest first: who changed it, when and why.',
    operation: `query get_history($id: Int!, $first: Int! = 20, $after: String) {
      productRevisions(id: $id, first: $first, after: $after) {
        nodes { number action time message hash author { name clientName } }
        pageInfo { hasNextPage endCursor }
      }
    }`
  },
  get_revision: {
    description: 'Read a template as it was in one of its revisions. data is its document as JSON text.',
    operation: `query get_revision($id: Int!, $revision: Int!) {
      productRevision(id: $id, number: $revision) {
        templateId number action hash contents { ${contents} timeCreated data }
      }
    }`
  },
  create_template: {
    description: `Create a product template. ${dryRun}`,
    operation: `mutation create_template($input: CreateProductInput!, $message: String, $dryRun: Boolean! = true) {
      createProduct(input: $input, message: $message, dryRun: $dryRun) { ${payload} warnings ${problem} }
    }`
  },
  update_template: {
    description: `Change some fields of a product template. ${expected} ${dryRun}`,
    operation: `mutation update_template(
      $id: Int!, $input: UpdateProductInput!, $expectedRevision: Int!, $message: String, $dryRun: Boolean! = true
    ) {
      updateProduct(
        id: $id, input: $input, expectedRevision: $expectedRevision, message: $message, dryRun: $dryRun
      ) { ${payload} warnings ${problem} ${difference} }
    }`
  },
  restore_template: {
    description: `Restore an earlier revision of a product template, as a new revision. ${expected} ${dryRun}`,
    operation: `mutation restore_template(
      $id: Int!, $revision: Int!, $expectedRevision: Int!, $message: String, $dryRun: Boolean! = true
    ) {
      restoreProduct(
        id: $id, revision: $revision, expectedRevision: $expectedRevision, message: $message, dryRun: $dryRun
      ) { ${payload} ${difference} }
    }`
  }
} satisfies Record<string, Tool>
