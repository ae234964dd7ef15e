import type { INode } from 'n8n-workflow';

/** Whether a model calls the node: n8n gives the variant of a node for agents a type of its own. */
export const isTool = ({ type }: INode): boolean => type.endsWith('Tool');

/** Whether a field of a node is left to an expression, and so in a tool to the model. */
export const isLeftOpen = ({ parameters }: INode, field: string): boolean => {
	const value = parameters[field];
	return typeof value === 'string' && value.startsWith('=');
};
