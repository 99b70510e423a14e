import { chosenFields } from '../../domain/columns.ts'

/** A GraphQL operation that a model may run. Its variables are the arguments of the tool. */
interface Tool {
  description: string
  /** Named like the tool, so that metrics have its name. Tools that are mutations write. */
  operation: string
}

/** The values of a template, except its document. */
const values = [...new Set(['name', 'componentName', ...chosenFields])].filter(field => field !== 'data')
const contents = `${values.join(' ')} timeModified`
const fields = `id ${contents} revision`
const problem = '{ code message path pointer currentRevision }'
/** The fields that a dry run has, too. */
const payload = `product { ${fields} hash } userErrors ${problem}`
/** Only of a dry run: the result of a write must not be too large to say that it was written. */
const difference = 'diff @include(if: $dryRun) { text }'

const dryRun =
  'By default a dry run: it answers with the problems and the difference, and writes nothing. Call it again with dryRun: false to write.'
const expected = 'expectedRevision is the current revision, which get_template has.'

/** The tools. By default, lists are short, because users pay for what a model reads. */
export const tools = {
  search_templates: {
    description:
      'Find product templates by words, fields and traits, page by page: continue with after = endCursor. The contents are in get_template.',
    operation: `query search_templates(
      $where: ProductTemplateFilter, $orderBy: ProductTemplateOrder, $first: Int! = 20, $after: String
    ) {
      products(where: $where, orderBy: $orderBy, first: $first, after: $after) {
        nodes { ${fields} } totalCountUpTo(limit: 1000) pageInfo { hasNextPage endCursor }
      }
    }`
  },
  get_template: {
    description: 'Read a product template. data is its document, JSON.',
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
      'List the revisions of a template, also of one that was deleted, the newest first: who changed it, when and why.',
    operation: `query get_history($id: Int!, $first: Int! = 20, $after: String) {
      productRevisions(id: $id, first: $first, after: $after) {
        nodes { number action time message hash author { name clientName } }
        pageInfo { hasNextPage endCursor }
      }
    }`
  },
  get_revision: {
    description: 'Read a template as it was in one of its revisions. data is its document, JSON.',
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
    description: `Give a product template the contents of an earlier revision, as a new one. ${expected} ${dryRun}`,
    operation: `mutation restore_template(
      $id: Int!, $revision: Int!, $expectedRevision: Int!, $message: String, $dryRun: Boolean! = true
    ) {
      restoreProduct(
        id: $id, revision: $revision, expectedRevision: $expectedRevision, message: $message, dryRun: $dryRun
      ) { ${payload} ${difference} }
    }`
  }
} satisfies Record<string, Tool>
