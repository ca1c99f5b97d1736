import type { Descriptions } from '../core/http/openapi-descriptions.ts'

/** Validation rules, categories and stacking rules. */
export const ruleDescriptions: Descriptions = {
  '*': {
    'path.categoryId': 'Id of the category.',
    'path.validationRuleId': 'Id of the validation rule.',
    'path.stackingRulesId': 'Id of the stacking rules; `stk_default` while the project has none of its own.',
    validation_rule_assignments: 'The validation rules that are assigned to it.',
    'validation_rule_assignments.data': 'The assignments.',
    'validation_rule_assignments.data.rule_id': 'Id of the validation rule.',
    validation_rule_id: 'Id of the validation rule that must hold; null without one.',
  },
  Category: {
    $: 'A group of campaigns, vouchers and promotions that the stacking rules treat alike.',
    name: 'Name, unique in the project.',
    hierarchy: 'Rank among the categories: lower numbers are applied first.',
  },
  CategoryBody: { $like: 'Category' },
  CategoryInResult: {
    $like: 'Category',
    $: 'A category and its part in the stacking rules.',
    stacking_rules_type: 'Its part in the stacking rules; absent if it is neither exclusive nor joint.',
  },
  ValidationRule: {
    $: 'Conditions on the customer, the order or the redemption, and the goods that a discount covers.',
    name: 'Name, for people; need not be unique.',
    rules: 'The conditions and the logic that joins them.',
    bundle_rules: 'Goods that must be in the order together; absent while never set.',
    error: 'Text for customers when a rule fails that has none of its own; absent if not set.',
    applicable_to: 'The goods that the discount covers.',
    type: 'Label of how the rule is written, default `expression`; it has no effect.',
    context_type: 'Label of where the rule is meant to be used, default `global`; it restricts nothing.',
    assignments_count: 'How many objects the rule is assigned to.',
  },
  ValidationRuleBody: {
    $like: 'ValidationRule',
    'error.message': 'Text for customers, at most 5,000 characters.',
    'applicable_to.included_all': 'Whether all goods are covered, apart from those excluded.',
  },
  TemplateRule: { $like: 'ValidationRule', $: 'The validation rule that a campaign made from the template gets.' },
  RuleTree: {
    $: 'Numbered rules and the `logic` that joins them: `{"1": {"name": "order.amount", "conditions": {"$more_than": [5000]}}, "logic": "1"}`. A rule has `name`, `property`, `conditions`, sub-`rules` and `error`.',
  },
  BundleRules: {
    $: 'Numbered goods that must be in the order together, the `logic` that joins them, and `limit`, the most bundles that count.',
  },
  CustomMessage: { $: 'Text for customers.', message: 'The text, at most 5,000 characters.' },
  ValidationRuleAssignment: {
    $: 'The link between a validation rule and what it applies to.',
    related_object_id: 'Id of what the rule applies to.',
    related_object_type: 'What the rule applies to.',
  },
  ValidationRuleAssignmentBody: { $like: 'ValidationRuleAssignment' },
  ValidationRuleAssignmentList: { $: 'Assignments of validation rules.', data: 'The assignments.' },
  StackingRulesView: {
    $: 'How the redeemables of one request are combined.',
    exclusive_categories: 'Ids of categories whose redeemables block those of common categories. Default none.',
    joint_categories:
      'Ids of categories whose redeemables go with any other. Default none; disjoint from the exclusive ones.',
    redeemables_limit: 'The most redeemables in a request. Default 30.',
    applicable_redeemables_limit: 'The most redeemables that are applied. Default 5.',
    applicable_redeemables_per_category_limit: 'The most of one category that are applied; null: no limit. Default 1.',
    applicable_redeemables_category_limits:
      'Category id → the most of this category, instead of the limit for every category.',
    applicable_exclusive_redeemables_limit: 'The most of exclusive categories that are applied. Default 1.',
    applicable_exclusive_redeemables_per_category_limit:
      'The most of one exclusive category that are applied; null: no limit. Default 1.',
    discount_calculation_mode:
      'Of what percentages are taken: of the amount after earlier discounts (the default) or of the initial amount.',
    initial_amount_mode_categories: 'Ids of categories that are always calculated on the initial amount.',
    discounted_amount_mode_categories: 'Ids of categories that are always calculated on the discounted amount.',
    redeemables_application_mode:
      'What one invalid redeemable does: `ALL` (default) refuses the whole request, `PARTIAL` leaves it out.',
    redeemables_sorting_rule:
      'In which order they are applied: as requested (the default) or by the hierarchy of categories.',
    redeemables_products_application_mode:
      'With `ONCE` each good gets at most one discount of its own. Default `STACK`.',
    redeemables_no_effect_rule: 'What happens to one without an effect: redeemed anyway (the default) or skipped.',
    no_effect_skip_categories: 'Ids of categories that are skipped without an effect, whatever the rule says.',
    no_effect_redeem_anyway_categories:
      'Ids of categories that are redeemed without an effect, whatever the rule says.',
    redeemables_rollback_order_mode: 'Whether a rollback also takes the discount off the order (default `WITH_ORDER`).',
    grouped_redeemables_sorting_rule:
      'Whether joint ones come after exclusive ones (the default) or are sorted among them.',
  },
  StackingRules: { $like: 'StackingRulesView', $: 'The stacking rules of a project.' },
  StackingRulesList: { data: 'The one set that is in force.' },
  StackingRulesBody: { $like: 'StackingRulesView' },
  JudgedAssignment: {
    $like: 'ValidationRuleAssignment',
    $: 'An assigned rule and what came of it.',
    validation_status: '`VALID`, or `PARTIALLY_VALID` if some rules were left out; what is not met does not qualify.',
    validation_omitted_rules:
      'Keys of the rules that were left out: the scenario does not evaluate them, or the order lacks what they need.',
  },
  JudgedAssignments: {
    $: 'Assigned rules and what came of them.',
    data: 'The assignments.',
    total: 'How many there are.',
  },
}
