"""Questions, items, responses, people, and the protocol of whatever predicts an answer."""

from __future__ import annotations

from beliefgraph.survey.item_set import AnsweredItem, ItemSet
from beliefgraph.survey.items import Item, Person, Question, Response, Role, Task
from beliefgraph.survey.prediction import FittablePredictor, Prediction, Predictor
from beliefgraph.survey.scale import SIGN_SCALE, Scale
from beliefgraph.survey.survey import Survey, SurveyQuestion, SurveyScenario, SurveyTopic
from beliefgraph.survey.survey_file import read_survey, write_survey

__all__ = [
    "SIGN_SCALE",
    "AnsweredItem",
    "FittablePredictor",
    "Item",
    "ItemSet",
    "Person",
    "Prediction",
    "Predictor",
    "Question",
    "Response",
    "Role",
    "Scale",
    "Survey",
    "SurveyQuestion",
    "SurveyScenario",
    "SurveyTopic",
    "Task",
    "read_survey",
    "write_survey",
]
