import { graphql } from './graphql.ts'

// The lists of clients grow in the order of `id`, which does not change while others write.
export const Products = graphql(`
  query Products($first: Int, $after: String, $last: Int, $before: String) {
    products(first: $first, after: $after, last: $last, before: $before, orderBy: { field: ID, direction: DESC }) {
      edges { cursor node { nodeId name } }
      pageInfo { startCursor endCursor hasPreviousPage hasNextPage }
    }
  }
`)
export const Product = graphql('query Product($id: Int!) { product(id: $id) { nodeId name revision } }')
export const History = graphql(`
  query History($id: Int!) { productRevisions(id: $id) { nodes { nodeId contents { name } } } }
`)
export const Rename = graphql(`
  mutation Rename($id: Int!, $name: String!, $expectedRevision: Int!) {
    updateProduct(id: $id, input: { name: $name }, expectedRevision: $expectedRevision) {
      product { nodeId name revision }
      userErrors { code }
    }
  }
`)
export const Delete = graphql(`
  mutation Delete($id: Int!, $expectedRevision: Int!) {
    deleteProduct(id: $id, expectedRevision: $expectedRevision) { deletedNodeId userErrors { code } }
  }
`)
